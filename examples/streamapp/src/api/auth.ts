// Issues and rotates tokens.
import { createHash, randomBytes } from "node:crypto";
import { sql } from "./db";

export async function rotateRefreshToken(token: string, deviceId: string) {
  const digest = createHash("sha256").update(token).digest("hex");
  const row = await sql.one`select * from refresh_tokens where digest = ${digest}`;
  if (!row) throw new AuthError("TOKEN_UNKNOWN");
  if (row.used_at) {
    await sql`delete from refresh_tokens where user_id = ${row.user_id}`;
    throw new AuthError("TOKEN_REUSED");
  }
  const next = randomBytes(32).toString("base64url");
  await sql`update refresh_tokens set used_at = now() where id = ${row.id}`;
  await storeRefreshToken(row.user_id, deviceId, next);
  return { access: signAccessToken(row.user_id), refresh: next };
}
