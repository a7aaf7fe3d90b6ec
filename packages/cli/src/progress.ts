/** So long nobody wonders what a command is waiting for. */
const PATIENCE_MS = 2000;

/** Does work; when it has not ended after two seconds, `say` tells what is waited for. */
export async function reportSlow<T>(say: (sentence: string) => void, sentence: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => say(sentence), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Has the requests of a run tell when their gateway does not answer: once, and again only when it has answered in between, since some
 * commands go on asking for days.
 */
export function createProgress(say: (sentence: string) => void): (fetch: Fetch) => Fetch {
  let isTold = false;
  const sayOnce = (sentence: string) => {
    if (!isTold) say(sentence);
    isTold = true;
  };
  return (fetch) => async (request) => {
    const reply = await reportSlow(sayOnce, `Waiting for ${new URL(request.url).origin} to answer …`, fetch(request));
    isTold = false;
    return reply;
  };
}
