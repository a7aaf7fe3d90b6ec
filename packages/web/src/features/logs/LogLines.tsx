import { levelOf, printable, type BufferedLine, type Level } from '@sallyport/sdk';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { LOG_LINE_PX, LogLine, LogPanel, type LogLevel } from '../../ui/LogPanel.tsx';
import type { LogView } from './useLogLines.ts';

/** Rows drawn beyond the visible ones. */
const OVERSCAN_ROWS = 20;
/** So near to the end the panel counts as following it. */
const NEAR_END_PX = 2 * LOG_LINE_PX;

const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };

function levelOfLine({ id, text }: BufferedLine, remarks: ReadonlySet<number>): LogLevel {
  if (remarks.has(id)) return 'neutral';
  const level = levelOf(text);
  return level ? LEVELS[level] : 'neutral';
}

/** The panel: only the visible rows are drawn; it follows the end until the administrator scrolls away from it. */
export function LogLines({ view, label }: { view: LogView; label: string }) {
  const { lines, remarks } = view;
  const panel = useRef<HTMLElement>(null);
  const firstId = useRef(0);
  const [following, setFollowing] = useState(true);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => panel.current,
    estimateSize: () => LOG_LINE_PX,
    overscan: OVERSCAN_ROWS,
    getItemKey: (index) => lines[index]?.id ?? index,
  });

  useLayoutEffect(() => {
    const element = panel.current;
    const first = lines[0]?.id ?? 0;
    const dropped = first - firstId.current;
    firstId.current = first;
    if (!element) return;
    if (following) element.scrollTop = element.scrollHeight;
    // What is being read stays where it is while older lines fall out above it.
    else if (dropped > 0) element.scrollTop -= dropped * LOG_LINE_PX;
  }, [lines, following]);

  const visible = rows.getVirtualItems();
  const before = visible[0]?.start ?? 0;
  const after = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <div className="relative flex min-h-64 flex-1 flex-col">
      <LogPanel
        ref={panel}
        label={label}
        className="flex-1 basis-0"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight <= NEAR_END_PX)
        }
      >
        {lines.length === 0 ? <LogLine level="neutral">Waiting for the first line.</LogLine> : null}
        <div style={{ height: before }} />
        {visible.map(({ index, key }) => {
          const line = lines[index];
          return line ? (
            <LogLine key={String(key)} level={levelOfLine(line, remarks)}>
              {remarks.has(line.id) ? `— ${line.text} —` : printable(line.text)}
            </LogLine>
          ) : null;
        })}
        <div style={{ height: after }} />
      </LogPanel>
      {following ? null : (
        <div className="absolute right-4 bottom-4">
          <Button
            size="sm"
            variant="black"
            icon={<ArrowDown size={14} aria-hidden />}
            onClick={() => setFollowing(true)}
          >
            Jump to live
          </Button>
        </div>
      )}
    </div>
  );
}
