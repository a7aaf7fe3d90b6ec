/** Reads a stream's text event by event. */
export function eventReader(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  /** The next event or comment, as it stands; null at the end. */
  const next = async (): Promise<string | null> => {
    while (!buffer.includes('\n\n')) {
      const { done, value } = await reader.read();
      if (done) return null;
      buffer += value;
    }
    const end = buffer.indexOf('\n\n');
    const event = buffer.slice(0, end);
    buffer = buffer.slice(end + 2);
    return event;
  };
  /** The fields of the next event, by name; null at the end. */
  const fields = async (): Promise<Record<string, string> | null> => {
    const event = await next();
    if (event === null) return null;
    return Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s, 2))) as Record<string, string>;
  };
  return {
    next,
    fields,
    /** The data of the next event; null when it has none. */
    data: async (): Promise<unknown> => JSON.parse((await fields())?.['data'] ?? 'null'),
    cancel: () => reader.cancel(),
  };
}
