import { setTimeout as delay } from 'node:timers/promises';
import { type Config, readConfig } from '../config.ts';
import { inUrl } from '../start/startMessage.ts';
import { commands } from '../start/commands.ts';
import { type Finding, fine, wrong } from './finding.ts';

/** A gateway that takes longer serves no one in time either. */
const ANSWER_MAX_MS = 5000;
/** A start takes a few seconds, and systemd waits two before it starts a gateway again. */
const START_MAX_MS = 30_000;
const ASK_AGAIN_MS = 250;
/** So long no one wonders what is waited for. */
const PATIENCE_MS = 1000;

/** What the running gateway with these settings says of itself, in a line. */
export async function askHealth(env: NodeJS.ProcessEnv): Promise<{ isFine: boolean; text: string }> {
  const { listen } = readConfig(env);
  return (await ask(listen, ANSWER_MAX_MS)) ?? { isFine: false, text: `No gateway answers at ${placeOf(listen)}.` };
}

/** How a gateway that starts is waited for. */
export type Waiting = { told?: (text: string) => void; waitMs?: number };

/**
 * Whether the gateway that uses the data directory answers. One that was started a moment ago gets the time for it.
 * @param there.isUsed whether a gateway uses the directory now; there is none between the two of a reload
 * @param there.isServing whether its nginx serves; else systemd is starting the gateway
 */
export async function checkGateway(
  { listen }: Pick<Config, 'listen'>,
  { isUsed, isServing }: { isUsed: () => boolean; isServing: boolean },
  { told = () => undefined, waitMs = START_MAX_MS }: Waiting,
): Promise<Finding> {
  const what = 'gateway';
  const end = performance.now() + waitMs;
  const timer = setTimeout(() => told('The gateway does not answer yet. Waiting for it ...'), PATIENCE_MS);
  try {
    for (let leftMs = waitMs; leftMs > 0; leftMs = end - performance.now()) {
      // It takes requests early, and answers them once it has started.
      const answer = await ask(listen, leftMs);
      if (answer?.isFine === true) return fine(what, `it answers at ${placeOf(listen)}`);
      if (answer !== null) return wrong(what, `it does not work as a whole: ${answer.text}.`, LOG, commands.log);
      await delay(ASK_AGAIN_MS);
    }
  } finally {
    clearTimeout(timer);
  }
  const waited = `within ${Math.ceil(waitMs / 1000)} seconds`;
  if (isUsed()) {
    const text = `it did not answer at ${placeOf(listen)} ${waited}: it is still starting, or hangs.`;
    return wrong(what, text, LOG, commands.log);
  }
  return isServing
    ? wrong(what, `its nginx serves, but no gateway came ${waited}.`, 'Start it', commands.start)
    : wrong(what, `systemd starts it, but it did not come to serve ${waited}.`, LOG, commands.log);
}

const LOG = 'Its log says why';
const placeOf = ({ host, port }: Config['listen']): string => `${inUrl(host)}:${port}`;

/** Null: it did not answer within that time. */
async function ask(listen: Config['listen'], withinMs: number): Promise<{ isFine: boolean; text: string } | null> {
  const signal = AbortSignal.timeout(Math.ceil(withinMs));
  try {
    const reply = await fetch(`http://${placeOf(listen)}/healthz`, { signal });
    return { isFine: reply.ok, text: (await reply.text()).trim() };
  } catch {
    return null;
  }
}
