import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The access log of a gateway, to be written as nginx has it open: when it is rotated, what is written goes on in the new file. */
export function openAccessLog(data) {
  const path = join(data, 'ingress', 'logs', 'access.log');
  let file = openSync(path, 'a');
  return {
    /** Writes the lines at once, as nginx writes its buffer. */
    write(lines) {
      const named = statSync(path, { throwIfNoEntry: false });
      if (named !== undefined && named.ino !== fstatSync(file).ino) {
        closeSync(file);
        file = openSync(path, 'a');
      }
      writeSync(file, lines.join(''));
    },
    stop: () => closeSync(file),
  };
}

/** A request as nginx writes it; its number is in its path. */
export const accessLine = (number, { service, domain }) =>
  `{"t":"1795262400.123","d":"${domain}","s":"${service}","k":"http","c":"198.51.100.7","r":"GET /n/${number} HTTP/1.1","st":"200","b":"1234","ms":"0.003","u":"127.0.0.1:8080","h":"app.example.test","i":"420","w":"0.002","a":"Mozilla/5.0 (X11; Linux x86_64)"}\n`;
