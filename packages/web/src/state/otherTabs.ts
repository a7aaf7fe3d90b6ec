/** What a tab tells the others of its origin about the session. */
export type TabMessage = { kind: 'started' } | { kind: 'ended'; token: string; why: string | null };

/** The other tabs of this origin that show the console. */
export type OtherTabs = {
  tell: (message: TabMessage) => void;
  listen: (listener: (message: TabMessage) => void) => void;
};

const NAME = 'sallyport-session';

/** The browser's own way between tabs. */
export function createOtherTabs(): OtherTabs {
  const channel = new BroadcastChannel(NAME);
  return {
    tell: (message) => channel.postMessage(message),
    listen: (listener) => {
      channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => listener(data));
    },
  };
}
