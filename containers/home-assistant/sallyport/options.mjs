// Starts the node with the options that Home Assistant keeps of it. They are in the environment then, never in a command line.
import { readFileSync } from 'node:fs';

const { url, token, pin } = JSON.parse(readFileSync('/data/options.json', 'utf8'));
const given = { SALLYPORT_URL: url, SALLYPORT_TOKEN: token, SALLYPORT_PIN: pin };
const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string'));
process.execve('/usr/local/bin/start', ['start'], { ...process.env, ...settings });
