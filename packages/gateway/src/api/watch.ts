/** Where a watch puts its events. */
export type WatchSink<Event> = {
  /** `id`, when given, is what a reader comes back with to go on behind this event. */
  push(event: Event, id?: string): void;
  /** Fulfilled when a reader that is slow has taken most of what was pushed; null: there is room for more. */
  room(): Promise<void> | null;
  /** Nothing more will come, because the thing that is watched is gone. */
  end(): void;
};

/** A stream of events that has been checked and can be opened. */
export type Watch<Event> = {
  /** Readers with the same key share one watch and get the same bytes; null: this reader's own. */
  key: string | null;
  /** Pushes the first event as soon as it can, and further ones until it is closed by what it returns. */
  open(sink: WatchSink<Event>): () => void;
};

/**
 * A watch over a value that is read again whenever `subscribe` calls back. Signals that arrive while it is being read
 * are taken together: it is read once more. A value of null ends the watch.
 */
export function watchValue<Event>(options: {
  key: string;
  read(): Promise<Event | null>;
  subscribe(signal: () => void): () => void;
  failed(error: unknown): void;
}): Watch<Event> {
  return {
    key: options.key,
    open(sink) {
      let closed = false;
      let reading = false;
      let again = false;
      const read = async (): Promise<void> => {
        again = true;
        if (reading) return;
        reading = true;
        try {
          while (again && !closed) {
            again = false;
            const value = await options.read();
            if (closed) return;
            if (value === null) return sink.end();
            sink.push(value);
          }
        } catch (error) {
          options.failed(error);
          sink.end();
        } finally {
          reading = false;
        }
      };
      const unsubscribe = options.subscribe(() => void read());
      void read();
      return () => {
        closed = true;
        unsubscribe();
      };
    },
  };
}
