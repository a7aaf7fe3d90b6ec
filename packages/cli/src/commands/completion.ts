import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { completionScript, SHELLS } from '../ui/completionScript.ts';

export const completion = command({
  description:
    'Print the completion script of a shell, made from the commands themselves. The Debian package brings them along.',
  flags: z.strictObject({ shell: field.oneOf(SHELLS) }),
  words: ['shell'],
  help: { shell: { text: 'the shell' } },
  examples: [
    'source <(sallyport completion bash)',
    'sallyport completion zsh > ~/.zfunc/_sallyport',
    'sallyport completion fish > ~/.config/fish/completions/sallyport.fish',
  ],
  async run(context, { shell }) {
    await context.io.print(completionScript(shell, await context.tree()));
  },
});
