import { printable } from '@sallyport/sdk';
import * as z from 'zod/mini';
import { type Context, Failure, command } from '../context.ts';
import type { Tone } from '../io.ts';
import { type Finding, type Patient, examine } from '../entity/examination.ts';
import { jsonText } from '../ui/json.ts';

const TONES: Record<Finding['state'], Tone> = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' };

export const doctor = command({
  description:
    'Walk from the name of the gateway to the backends of its services and say of each step what is wrong and what mends it. Piped it is one line a step, with tabs between: step, state (ok, warning, failed or skipped), finding, what mends it.',
  flags: z.strictObject({ bundle: z.optional(z.string()) }),
  help: {
    bundle: {
      text: 'write an archive (tar.gz) to send to somebody who helps, without tokens, keys and e-mail addresses',
      value: 'file',
    },
  },
  examples: ['sallyport doctor', 'sallyport doctor --bundle sallyport.tar.gz'],
  async run(context, { bundle }) {
    const patient = await patientOf(context);
    const findings: Finding[] = [];
    for await (const finding of examine(context, patient)) {
      findings.push(finding);
      if (!context.globals.json) await context.io.print(lineOf(context, finding));
    }
    if (context.globals.json) await context.io.print(jsonText({ data: findings }, 2));
    if (bundle !== undefined) {
      const { writeBundle } = await import('../entity/bundle.ts');
      await writeBundle(bundle, findings, patient.client);
      context.io.say(`Wrote ${printable(bundle)}. Look at it before you send it.`);
    }
    const wrong = findings.filter(({ state }) => state === 'failed').map(({ step }) => step);
    if (wrong.length > 0) throw new Failure(endingOf(wrong), `Not well: ${wrong.join(', ')}.`, null);
  },
});

/** Who is looked at: the gateway of the profile, or the one that this run names. */
async function patientOf(context: Context): Promise<Patient> {
  const profile = (await context.config()).get(context.profileName);
  const url = context.givenUrl() ?? profile?.url;
  if (profile && (url === undefined || url === profile.url)) {
    return { ...profile, isSignedIn: true, client: await context.connect(profile) };
  }
  if (url === undefined) {
    throw new Failure(
      'signedOut',
      `Profile "${context.profileName}" is not signed in.`,
      'Name a gateway with --url URL.',
    );
  }
  return { url, pin: null, expiresAt: null, isSignedIn: false, client: await context.connect({ url, pin: null }) };
}

function lineOf({ io }: Context, { step, state, finding, mend }: Finding): string {
  const [said, how] = [printable(finding), printable(mend ?? '')];
  if (!io.isTerminal) return `${[step, state, said, how].map((text) => text.replaceAll('\t', ' ')).join('\t')}\n`;
  const head = `${io.paint(TONES[state], state.padEnd(7))}  ${step.padEnd(11)}  ${said}\n`;
  return mend === null ? head : `${head}${' '.repeat(22)}${io.paint('bold', how)}\n`;
}

/** The first thing that is wrong says how the command ends. */
function endingOf([first]: readonly string[]) {
  if (first === 'dns' || first === 'port' || first === 'certificate') return 'unreachable';
  return first === 'token' ? 'signedOut' : 'failed';
}
