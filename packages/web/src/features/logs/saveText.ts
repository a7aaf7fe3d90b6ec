/** Has the browser save text as a file. */
export function saveText(name: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the data by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}
