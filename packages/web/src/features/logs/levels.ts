import type { Level } from '@sallyport/sdk';
import type { LogLevel } from '../../ui/log/LogPanel.tsx';

/** The look of each level. */
export const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };
