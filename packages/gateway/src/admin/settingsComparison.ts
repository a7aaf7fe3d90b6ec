import { printable } from '@sallyport/sdk/lines';
import { SECRETS, settingVariables } from '../config.ts';
import { commands } from '../start/commands.ts';
import { quoted } from './checkPermissions.ts';

/** A setting that a backup has otherwise than this machine; null: not set. The value of a secret is left out (`''`). */
export type SettingDifference = { name: string; there: string | null; here: string | null; isSecret: boolean };

/** Where a backup is put is for this machine to say. */
const OF_THE_MACHINE: readonly string[] = ['SALLYPORT_DATA'];

/**
 * Which settings of a backup differ from those of this machine.
 * @param text the backup's file of settings
 */
export function compareSettings(text: string, env: NodeJS.ProcessEnv): SettingDifference[] {
  const there = readSettingsText(text);
  return settingVariables
    .filter((name) => !OF_THE_MACHINE.includes(name))
    .map((name) => ({ name, there: there.get(name) || null, here: env[name] || null }))
    .filter((each) => each.there !== each.here)
    .map((each) => {
      const isSecret = SECRETS.includes(each.name);
      const shown = (value: string | null): string | null => (isSecret && value !== null ? '' : value);
      return { name: each.name, there: shown(each.there), here: shown(each.here), isSecret };
    });
}

/** A line is `NAME="value"` as `backup` writes it; what cannot be read does not count. */
function readSettingsText(text: string): Map<string, string> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const [, name = '', value = ''] = /^(SALLYPORT_\w+)=(".*")$/.exec(line) ?? [];
    try {
      return name === '' ? [] : [[name, String(JSON.parse(value))]];
    } catch {
      return [];
    }
  });
  return new Map(pairs);
}

/** The differences in words, and what to do about them. */
export function differencesText(differences: readonly SettingDifference[], directory: string): string[] {
  if (differences.length === 0) return ['The settings of then are those of this machine.'];
  const lines = differences.map(({ name, there, here, isSecret }) => {
    const assigned = (value: string): string => (isSecret ? `${name} (a secret)` : `${name}=${printable(value)}`);
    if (here === null) return `  Set there, not here: ${assigned(there ?? '')}`;
    if (there === null) return `  Set here, not there: ${assigned(here)}`;
    return isSecret
      ? `  Different: ${name} (a secret)`
      : `  Different: ${name}=${printable(there)} there, ${printable(here)} here`;
  });
  const wanted = differences.flatMap(({ name, there, isSecret }) =>
    there === null ? [] : [`${name}=${isSecret ? 'VALUE' : quoted(printable(there))}`],
  );
  return [
    `The settings of then, which are in settings.env of ${directory} after the restore, differ from those of this machine:`,
    ...lines,
    ...(wanted.length === 0
      ? []
      : [
          `Those of this machine count. To take over what it is to have, and start: ${commands.setting(wanted.join(' '))}`,
        ]),
  ];
}
