import * as z from 'zod/mini';
import { stream, STREAM_RESTARTED_HEADER } from './endpoint.ts';
import { described, idOf, rule } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { type ServiceType, serviceTypes } from './service.ts';

/** Lines of history that a log stream begins with, unless its query says how many. */
export const LOG_BACKLOG_LINES = 100;
/** The most lines of history that may be asked for. */
export const LOG_BACKLOG_MAX_LINES = 10_000;
/** Lines that a log screen keeps. */
export const LOG_BUFFER_LINES = 1000;

/** Whose lines: a domain's, or one service's; and how many of those that are kept come first. */
export const logQuery = field
  .object({
    domain: z.optional(field.domainName),
    type: z.optional(described(field.oneOf(serviceTypes), 'The kind of the service.')),
    id: z.optional(idOf('the service')),
    lines: z.optional(described(field.integer(0, LOG_BACKLOG_MAX_LINES), 'So many of the lines before come first.')),
    with: z.optional(
      described(field.oneOf(['details']), 'Each text has a second line: what else is known, as a JSON object.'),
    ),
  })
  .check(
    rule<{ domain?: string | undefined; type?: string | undefined; id?: number | undefined }>(
      ({ domain, type, id }) => {
        if (domain !== undefined) return [];
        if (type === undefined && id === undefined) return [{ field: 'domain', message: message.required }];
        return [
          type === undefined && { field: 'type', message: message.required },
          id === undefined && { field: 'id', message: message.required },
        ];
      },
    ),
    z.meta({ anyOf: [{ required: ['domain'] }, { required: ['type', 'id'] }] }),
  );
export type LogQuery = z.output<typeof logQuery>;

/** What is known of a request or a connection besides its line. What is unknown is left out. */
export type LogDetails = {
  /** The host name that was asked for, in lower case. */
  host?: string;
  /** The visitor's program, as it calls itself. */
  agent?: string;
  /** Bytes that came from the visitor. */
  received?: number;
  /** Milliseconds that the backend took. */
  backendMilliseconds?: number;
  /** The service that answered. */
  service?: { type: ServiceType; id: number };
};

/** The streams of log lines. */
export const logEndpoints = {
  watch: stream(
    '/api/logs/stream',
    `Streams the last ${LOG_BACKLOG_LINES} lines, or as many as \`lines\` says, of a domain or a service, then each new one. With \`Last-Event-ID\` it continues after that event; when that event is no longer known, \`${STREAM_RESTARTED_HEADER}: true\` says that the stream starts again with the history. A node's own token sees the services of that node.`,
    {
      access: 'any',
      rights: ['logs:read'],
      node: 'reply',
      query: logQuery,
      event: z.array(z.string()),
      reconnectMs: 1000,
    },
  ),
} as const;
