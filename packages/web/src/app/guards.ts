import { redirect } from '@tanstack/react-router';
import type { Connection } from '../data/connection.ts';
import { safePath } from '../state/safePath.ts';
import { loginPath } from '../state/session.ts';

/** What a guard may look at. */
export type Visit = {
  connection: Connection;
  /** Path and query that were asked for. */ href: string;
  redirect: unknown;
};

/** Lets a visit pass, or throws the redirect to where it should go. */
export type Guard = (visit: Visit) => void | Promise<void>;

/** Takes up, once after a load of the page, the session that this browser keeps. */
export const resumed: Guard = ({ connection }) => connection.session.restore();

/** Without a token: to the login page, which leads back here. */
export const signedIn: Guard = ({ connection, href }) => {
  if (connection.session.token() === null) redirect({ href: loginPath(href), replace: true, throw: true });
};

/** With a token there is nothing to do at the login page. */
export const guest: Guard = ({ connection, redirect: target }) => {
  if (connection.session.token() !== null) redirect({ href: safePath(target), replace: true, throw: true });
};

/** Runs the guards one after the other, until one sends the visitor elsewhere. */
export const guarded =
  (...guards: readonly Guard[]) =>
  async ({
    context,
    location,
  }: {
    context: { connection: Connection };
    location: { href: string; search: { redirect?: unknown } };
  }): Promise<void> => {
    for (const guard of guards) {
      await guard({ connection: context.connection, href: location.href, redirect: location.search.redirect });
    }
  };
