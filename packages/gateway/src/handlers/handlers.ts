import { cliHandlers } from './cli.ts';
import { domainHandlers } from './domain.ts';
import type { HandlerTable } from './handler.ts';
import { httpServiceHandlers } from './httpService.ts';
import { logHandlers } from './log.ts';
import { nodeHandlers } from './node.ts';
import { sessionHandlers } from './session.ts';
import { systemHandlers } from './system.ts';
import { tcpServiceHandlers } from './tcpService.ts';
import { tokenHandlers } from './token.ts';

/** What answers each endpoint. One that is missing here does not compile. */
export const handlers: HandlerTable = {
  ...sessionHandlers,
  ...nodeHandlers,
  ...domainHandlers,
  ...httpServiceHandlers,
  ...tcpServiceHandlers,
  ...tokenHandlers,
  ...cliHandlers,
  ...logHandlers,
  ...systemHandlers,
};
