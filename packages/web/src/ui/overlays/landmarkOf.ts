/**
 * Where the popup of an element belongs: inside the same landmark or dialog, so that a screen reader finds it there
 * and a popup of a browser's own modal dialog is not left beneath it.
 */
export function landmarkOf(element: Element | null): HTMLElement {
  return (
    element?.closest<HTMLElement>('dialog,[role="dialog"],[role="alertdialog"],main,header,aside') ?? document.body
  );
}
