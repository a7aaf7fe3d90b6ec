/** The moment that a form's value stands for; undefined when it is none. */
export function momentOf(value: unknown): Date | undefined {
  const date = typeof value === 'string' && value !== '' ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? undefined : date;
}

/** The last moment of a day in the reader's own zone, as ISO 8601; `""` for no day. */
export function endOfDay(day: Date | undefined): string {
  if (day === undefined) return '';
  const end = new Date(day);
  end.setHours(23, 59, 59, 999);
  return end.toISOString();
}
