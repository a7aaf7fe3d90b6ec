/** The body of a request of which nothing has come yet; `asked` is fulfilled when it is waited for. */
export function slowBody(): { body: ReadableStream; asked: Promise<void>; end(text?: string): void } {
  const asked = Promise.withResolvers<void>();
  let end = (_text: string): void => undefined;
  const body = new ReadableStream(
    {
      start(controller) {
        end = (text) => {
          if (text !== '') controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        };
      },
      pull: () => asked.resolve(),
    },
    { highWaterMark: 0 },
  );
  return { body, asked: asked.promise, end: (text = '') => end(text) };
}
