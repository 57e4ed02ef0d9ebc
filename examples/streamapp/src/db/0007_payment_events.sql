-- One row for each webhook of the payment company; a repeated event is refused by the key.
create table payment_events (
  event_id text primary key,
  subscription_id bigint not null references subscriptions (id),
  received_at timestamptz not null default now()
);
alter table payment_events enable row level security;
create policy payment_events_owner on payment_events
  using (subscription_id in (select id from subscriptions where user_id = current_setting('app.user_id')::bigint));
