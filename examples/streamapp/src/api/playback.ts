// Grants a playback slot and picks a CDN.
import { sql } from "./db";

export const MAX_DEVICES = 3;

export async function claimSlot(userId: string, deviceId: string): Promise<string | null> {
  const slots = await sql`select * from playback_slots where user_id = ${userId} order by heartbeat_at`;
  const evicted = slots.length >= MAX_DEVICES ? slots[0].device_id : null;
  if (evicted) await sql`delete from playback_slots where user_id = ${userId} and device_id = ${evicted}`;
  await sql`insert into playback_slots (user_id, device_id) values (${userId}, ${deviceId})`;
  return evicted;
}

export function pickCdn(health: Record<string, number>): "cloudfront" | "hanbit" {
  if (health.cloudfront > 0.02) return "hanbit";
  if (health.hanbit > 0.02) return "cloudfront";
  return Math.random() < 0.6 ? "cloudfront" : "hanbit";
}
