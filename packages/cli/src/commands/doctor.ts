import { printable } from '@sallyport/sdk';
import stringWidth from 'string-width';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Facts, operatorFacts, writeBundle } from '../host/bundle.ts';
import { type Finding, type Step, examine, failed, gatewaySteps, operatorSteps } from '../host/examineGateway.ts';
import { hostSteps } from '../host/examineHost.ts';
import { gatewayHere } from '../host/gatewayHere.ts';
import type { Host } from '../host/host.ts';
import type { HostConfig } from '../host/hostConfig.ts';
import { statusOf } from '../host/status.ts';
import type { Tone } from '../io.ts';

/** As wide as the longest name of a step. */
const STEP_COLUMNS = 16;
/** What a finding takes at least, also where a terminal is too narrow for it. */
const ROOM_MIN_COLUMNS = 20;
const TONES: Record<Finding['state'], Tone> = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' };

export const doctor = command({
  description:
    'Walk from the name of the gateway to the backends of its services and say of each step what is wrong and how to fix it; where this host is a node, its own token, tunnel and backends as well. Piped it is one line a step, with tabs between: step, state (ok, warning, failed or skipped), finding, what fixes it.',
  flags: z.strictObject({ bundle: z.optional(z.string()) }),
  help: {
    bundle: {
      text: 'write an archive (tar.gz) to send to someone who helps, without tokens, keys and e-mail addresses',
      value: 'file',
    },
  },
  examples: ['sallyport doctor', 'sudo sallyport doctor', 'sallyport doctor --bundle sallyport.tar.gz'],
  async run(context, { bundle }) {
    const { steps, facts, secrets } = await examinationOf(context);
    const findings: Finding[] = [];
    for await (const finding of examine(context.signal, steps)) {
      findings.push(finding);
      if (!context.globals.json) await context.io.print(lineOf(context, finding));
    }
    await context.io.answer({ data: findings });
    if (bundle !== undefined) {
      const isWell = (name: string) => findings.some(({ step, state }) => step === name && state === 'ok');
      await writeBundle(bundle, findings, facts(isWell), secrets);
      context.io.say(`Wrote ${bundle}. Look at it before you send it.`);
    }
    const wrong = findings.filter(({ state }) => state === 'failed').map(({ step }) => step);
    if (wrong.length > 0) throw new Failure(endingOf(wrong), `Not well: ${[...new Set(wrong)].join(', ')}.`, null);
  },
});

type Examination = {
  steps: Step[];
  /** What the archive holds next to the findings; `isWell` tells how a step ended. */
  facts: (isWell: (step: string) => boolean) => Facts;
  /** What must not stand in the archive, wherever it came from. */
  secrets: string[];
};

/** Who is looked at: the gateway of the profile or the one that this run names, and this host where it is a node. */
async function examinationOf(context: Context): Promise<Examination> {
  const profile = (await context.config()).get(context.profileName);
  const url = context.givenUrl() ?? profile?.url;
  const session = profile && (url === undefined || url === profile.url) ? profile : undefined;
  const host = await context.host();
  const config = readHostConfig(host);
  if (url === undefined && config === undefined) {
    const here = gatewayHere(host.machine);
    throw new Failure(
      'signedOut',
      `Profile "${context.profileName}" is not signed in.`,
      here === null ? 'Name a gateway with --url URL.' : `This machine is the gateway itself: ${here}`,
    );
  }
  const steps: Step[] = [];
  const secrets: string[] = [];
  const facts: ((isWell: (step: string) => boolean) => Facts)[] = [];
  const pin = session?.pin ?? null;
  if (url !== undefined) {
    const client = await context.connect(session ?? { url, pin });
    const patient = { url, pin, client, signIn: `sallyport login --operator --url ${url}` };
    const account = { isSignedIn: session !== undefined, expiresAt: session?.expiresAt ?? null };
    steps.push(...gatewaySteps(context, patient), ...operatorSteps(context, patient, account));
    facts.push((isWell) => (isWell('token') ? operatorFacts(client) : {}));
    if (session) secrets.push(session.token.reveal());
  }
  if (config instanceof Failure) steps.push(unreadable(config));
  else if (config !== undefined) {
    const client = await host.client(config);
    const isSame = url === config.url && pin === config.pin;
    const prefix = url === undefined || isSame ? '' : 'host ';
    const patient = { url: config.url, pin: config.pin, client, signIn: `sudo sallyport login --url ${config.url}` };
    if (!isSame) steps.push(...gatewaySteps(context, patient, prefix));
    steps.push(...hostSteps(host, config, { step: `${prefix}gateway`, client }, context.now));
    facts.push(() => ({ 'host.json': () => statusOf(host, context.now, context.signal) }));
    secrets.push(config.token.reveal());
  }
  return { steps, secrets, facts: (isWell) => Object.assign({}, ...facts.map((each) => each(isWell))) };
}

/** A configuration that is there and cannot be read is a finding like any other. */
function readHostConfig(host: Host): HostConfig | Failure | undefined {
  try {
    return host.file.read();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const unreadable = ({ message, next }: Failure): Step => ({
  name: 'host config',
  needs: null,
  work: async () => failed(message, next ?? 'sudo sallyport doctor'),
});

function lineOf({ io }: Context, { step, state, finding, fix }: Finding): string {
  const [said, how] = [printable(finding), printable(fix ?? '')];
  if (!io.isTerminal) return `${[step, state, said, how].map((text) => text.replaceAll('\t', ' ')).join('\t')}\n`;
  const indent = STEP_COLUMNS + 11;
  const room = Math.max(ROOM_MIN_COLUMNS, io.columns() - indent);
  const lines = [
    ...wrapWords(said, room),
    ...(fix === null ? [] : wrapWords(how, room).map((line) => io.paint('bold', line))),
  ];
  const head = `${io.paint(TONES[state], state.padEnd(7))}  ${step.padEnd(STEP_COLUMNS)}  `;
  return `${head}${lines.join(`\n${' '.repeat(indent)}`)}\n`;
}

/** The first thing that is wrong says how the command ends. */
function endingOf([wrong]: readonly string[]) {
  if (wrong === 'host tunnel') return 'disconnected';
  const first = wrong?.replace(/^host /, '');
  if (first === 'dns' || first === 'port' || first === 'certificate') return 'unreachable';
  return first === 'token' ? 'signedOut' : 'failed';
}

/** A text in lines of `width` columns at most, broken between words; a word that is longer than a line stands alone. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
