/** A program: a gateway's log in a directory, to be killed. It says the process that stores the lines, once they are stored. */
import { join } from 'node:path';
import { openAccessLog } from '../logs/accessLog.ts';
import { everyLog } from './logTrial.ts';

const [, , base = ''] = process.argv;
const log = openAccessLog({
  path: join(base, 'access.log'),
  directory: join(base, 'kept'),
  historyBytes: 10_000_000,
  known: everyLog(),
  reopenLogs: () => Promise.resolve(),
  notices: { info: () => undefined, warn: () => undefined },
});
await log.caughtUp();
process.send?.(log.pid());
