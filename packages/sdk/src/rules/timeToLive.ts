const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `"10m"` in milliseconds. The text has been checked by the contract's `ttl` field. */
export function timeToLiveMs(ttl: string): number {
  const unit = ttl.at(-1) ?? 's';
  return Number.parseInt(ttl, 10) * (UNIT_MS[unit] ?? 1000);
}
