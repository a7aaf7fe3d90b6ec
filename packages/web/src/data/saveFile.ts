/** Has the browser save a file. */
export function saveFile({ name, data }: { name: string; data: Blob }): void {
  const url = URL.createObjectURL(data);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the data by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(url));
}
