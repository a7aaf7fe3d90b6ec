import { readConfig } from '../config.ts';
import { inUrl } from '../start/startMessage.ts';

/** A gateway that takes longer serves no one in time either. */
const ANSWER_MAX_MS = 5000;

/** What the running gateway with these settings says of itself, in a line. */
export async function askHealth(env: NodeJS.ProcessEnv): Promise<{ isFine: boolean; text: string }> {
  const { host, port } = readConfig(env).listen;
  try {
    const reply = await fetch(`http://${inUrl(host)}:${port}/healthz`, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    return { isFine: reply.ok, text: (await reply.text()).trim() };
  } catch {
    return { isFine: false, text: `No gateway answers at ${inUrl(host)}:${port}.` };
  }
}
