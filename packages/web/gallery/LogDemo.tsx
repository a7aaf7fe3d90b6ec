import { Breadcrumb } from '../src/ui/Breadcrumb.tsx';
import { LogLine, LogPanel, type LogLevel } from '../src/ui/LogPanel.tsx';
import { PageHeader } from '../src/ui/PageHeader.tsx';

const LINES: [LogLevel, string][] = [
  [
    'info',
    '2026-11-21T07:12:01.204Z INFO 203.0.113.7 "GET /api/dashboards?folder=3 HTTP/2.0" 200 18211 12ms http://10.88.0.2:3000',
  ],
  ['warn', '2026-11-21T07:12:02.900Z WARN 203.0.113.7 "GET /favicon.ico HTTP/2.0" 404 153 1ms http://10.88.0.2:3000'],
  [
    'error',
    '2026-11-21T07:12:04.011Z ERROR 203.0.113.9 "POST /api/annotations HTTP/2.0" 502 552 3002ms http://10.88.0.2:3000',
  ],
  ['debug', '2026-11-21T07:12:04.300Z DEBUG upstream timed out while reading the response header'],
  ['neutral', 'a line without a level, <img onerror=alert(1)> and \\x1b[31m shown as text'],
];

export function LogDemo() {
  return (
    <>
      <PageHeader
        breadcrumb={
          <Breadcrumb>
            <a href="#nodes">Nodes</a>
            <a href="#node">HTTP Services</a>
            Real Time Logs
          </Breadcrumb>
        }
        title="Real Time Logs"
      />
      <LogPanel label="Real time logs of grafana" className="h-64">
        {Array.from({ length: 40 }, (_, index) => {
          const [level, text] = LINES[index % LINES.length] ?? ['neutral', ''];
          return (
            <LogLine key={index} level={level}>
              {text}
            </LogLine>
          );
        })}
      </LogPanel>
      <LogPanel label="Wrapped" wrap className="h-40">
        {LINES.map(([level, text]) => (
          <LogLine key={text} level={level}>
            {text}
          </LogLine>
        ))}
      </LogPanel>
    </>
  );
}
