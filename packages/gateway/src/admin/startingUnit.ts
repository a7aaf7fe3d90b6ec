import { ProgramError, runProgram } from '../machine/runProgram.ts';
import { commands, commandsOf } from '../start/commands.ts';

const UNIT = 'sallyport-gateway.service';
/** A gateway takes its data directory within this time, also on a slow machine. */
const LOCKED_WITHIN_MS = 10_000;

/**
 * Whether systemd starts the package's gateway now: the process may be there before it has taken its data directory, and
 * between the two of a restart there is none.
 */
export async function isUnitStarting(): Promise<boolean> {
  if (commands !== commandsOf.package) return false;
  try {
    const properties = ['--property=ActiveState', '--property=ExecMainStartTimestampMonotonic'];
    return saysStarting(
      await runProgram('systemctl', ['show', ...properties, UNIT]),
      Number(process.hrtime.bigint() / 1000n),
    );
  } catch (error) {
    if (error instanceof ProgramError) return false;
    throw error;
  }
}

/**
 * Reads what `systemctl show` prints. One that has run for longer without a lock has another data directory.
 * @param now in microseconds of the monotonic clock
 */
export function saysStarting(shown: string, now: number): boolean {
  const properties = new Map(shown.split('\n').map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]));
  const state = properties.get('ActiveState') ?? '';
  if (state !== 'active') return state === 'activating' || state === 'reloading';
  return now - Number(properties.get('ExecMainStartTimestampMonotonic')) < LOCKED_WITHIN_MS * 1000;
}
