import * as z from 'zod/mini';
import { Failure, command } from '../context.ts';
import { operatorLogin } from '../login/operatorLogin.ts';

export const login = command({
  description:
    "Sign in to a gateway as its administrator and keep the session in this user's configuration directory. What is missing is asked for; the environment may give SALLYPORT_URL, SALLYPORT_USERNAME and SALLYPORT_PASSWORD.",
  flags: z.strictObject({
    operator: z.optional(z.boolean()),
    username: z.optional(z.string()),
    passwordStdin: z.optional(z.boolean()),
    pin: z.optional(z.string()),
    insecureHttp: z.optional(z.boolean()),
  }),
  help: {
    operator: { text: 'sign in as an operator of the gateway' },
    username: { text: "the administrator's name (else SALLYPORT_USERNAME, else asked for)", value: 'name' },
    passwordStdin: { text: 'read the password from standard input (else SALLYPORT_PASSWORD, else asked for)' },
    pin: {
      text: 'trust this one certificate, by the fingerprint that the gateway prints when it starts',
      value: 'sha256',
    },
    insecureHttp: { text: 'send the password over plain HTTP to another machine' },
  },
  examples: [
    'sallyport login --operator --url https://gateway.example.com:9443',
    'sallyport login --operator --url https://192.0.2.7:9443 --username admin --password-stdin < password-file',
  ],
  async run(context, flags) {
    if (!flags.operator) {
      throw new Failure(
        'usage',
        'Joining this host as a node comes with a later version.',
        'To operate a gateway, run `sallyport login --operator`.',
      );
    }
    await operatorLogin(context, flags);
  },
});
