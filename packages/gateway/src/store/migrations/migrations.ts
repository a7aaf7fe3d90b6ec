import { initial } from './0001Initial.ts';
import { listNodes } from './0002ListNodes.ts';
import { visitorSessions } from './0003VisitorSessions.ts';
import { nodeTraffic } from './0004NodeTraffic.ts';
import { servicePlaces } from './0005ServicePlaces.ts';

/** A step of the schema: SQL that is run once, in one transaction with all the steps before it that are due. */
export type Migration = { name: string; sql: string };

/**
 * The schema's history, oldest first; the number of a step is its place, counted from 1. A step that has been released
 * is never changed: a new one is added behind it.
 */
export const migrations: readonly Migration[] = [
  { name: 'initial', sql: initial },
  { name: 'list nodes', sql: listNodes },
  { name: 'visitor sessions', sql: visitorSessions },
  { name: 'node traffic', sql: nodeTraffic },
  { name: 'service places', sql: servicePlaces },
];
