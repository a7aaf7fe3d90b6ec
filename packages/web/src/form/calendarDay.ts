const DAY = /^\d{4}-\d\d-\d\d$/;

/** The day of a moment in the reader's own zone, as `yyyy-mm-dd`; `""` when there is none. */
export function dayOf(moment: Date | string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  const year = String(date.getFullYear()).padStart(4, '0');
  const month = String(date.getMonth() + 1).padStart(2, '0');
  return `${year}-${month}-${String(date.getDate()).padStart(2, '0')}`;
}

/** The last moment of a day in the reader's own zone, as ISO 8601; what is no day stays as it is. */
export function endOfDay(day: string): string {
  const end = DAY.test(day) ? new Date(`${day}T23:59:59.999`) : null;
  return end === null || Number.isNaN(end.getTime()) ? day : end.toISOString();
}
