import { apiTokenEndpoints } from './apiToken.ts';
import { joinKeyEndpoints } from './joinKey.ts';
import { publicAddressEndpoints } from './publicAddress.ts';
import { settingsEndpoints } from './settings.ts';

/** The calls of screens that are opened seldom: the console loads them with the first one that it makes. */
export const seldomContract = {
  joinKey: joinKeyEndpoints,
  apiToken: apiTokenEndpoints,
  publicAddress: publicAddressEndpoints,
  settings: settingsEndpoints,
} as const;
