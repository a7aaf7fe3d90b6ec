import type { Database } from 'better-sqlite3';
import { initial } from './0001Initial.ts';
import { listNodes } from './0002ListNodes.ts';
import { visitorSessions } from './0003VisitorSessions.ts';
import { nodeTraffic } from './0004NodeTraffic.ts';
import { servicePlaces } from './0005ServicePlaces.ts';
import { nodeGrants } from './0006NodeGrants.ts';
import { sessionKeys } from './0007SessionKeys.ts';
import { idempotencyKeys } from './0008IdempotencyKeys.ts';
import { serviceClosing } from './0009ServiceClosing.ts';
import { renameDuplicateNodes, uniqueNodeNames } from './0010UniqueNodeNames.ts';
import { domainHsts } from './0011DomainHsts.ts';

/**
 * A step of the schema: SQL that is run once, in one transaction with all the steps before it that are due. What SQL cannot
 * say of the rows is done before it by `prepare`.
 */
export type Migration = { name: string; sql: string; prepare?: (database: Database) => void };

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
  { name: 'node grants', sql: nodeGrants },
  { name: 'session keys', sql: sessionKeys },
  { name: 'idempotency keys', sql: idempotencyKeys },
  { name: 'service closing', sql: serviceClosing },
  { name: 'unique node names', sql: uniqueNodeNames, prepare: renameDuplicateNodes },
  { name: 'domain hsts', sql: domainHsts },
];
