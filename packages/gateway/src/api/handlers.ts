import { cliHandlers } from './cli/cli.ts';
import { domainHandlers } from './domain/domain.ts';
import type { HandlerTable } from './handler.ts';
import { httpServiceHandlers } from './service/httpService.ts';
import { logHandlers } from './log/log.ts';
import { nodeHandlers } from './node/node.ts';
import { sessionHandlers } from './session/session.ts';
import { systemHandlers } from './system/system.ts';
import { tcpServiceHandlers } from './service/tcpService.ts';
import { tokenHandlers } from './token/token.ts';

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
