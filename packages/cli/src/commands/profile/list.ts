import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { showPage } from '../../ui/show.ts';
import { profileColumns } from '../../ui/columns.ts';

export const list = command({
  description:
    'List the profiles: the gateways that this user is signed in to. Piped it is one line a profile, with tabs between: name, address, user, end of the session (ISO 8601), fingerprint of the trusted certificate. No gateway is asked.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sallyport profile list'],
  async run(context) {
    const profiles = (await context.config()).all();
    const data = Object.entries(profiles).map(([name, { url, username, expiresAt, pin }]) => ({
      name,
      url,
      username,
      expiresAt,
      pin,
    }));
    const page = { data, page: 1, limit: data.length, total: data.length };
    await showPage(context, profileColumns(context.now()), page, 'profiles');
  },
});
