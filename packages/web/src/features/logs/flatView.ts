import { LOG_LINE_PX, logWidth } from '../../ui/log/LogPanel.tsx';
import type { anchorIn } from './anchorIn.ts';
import type { LogStore } from './createLogStore.ts';
import { flatRows, type RowContent } from './flatRows.ts';
import { flatPlaces } from './rowPlaces.ts';
import type { Following } from './useFollowing.ts';

/** Rows drawn beyond the visible ones while somebody reads. */
const OVERSCAN_ROWS = 6;

type Elements = {
  /** What scrolls. */
  panel: HTMLElement;
  /** As high as all rows, as wide as the longest. */
  area: HTMLElement;
  /** Where the rows in view are. */
  place: HTMLElement;
};

/** What the screen has to say about the drawing. */
type Wishes = {
  following: Following;
  anchor: ReturnType<typeof anchorIn>;
  pattern: RegExp | null;
  currentId: number | null;
};

export type FlatView = {
  /** Draws what is in view now. */
  draw: () => void;
  /** Draws as is wished from now on. */
  change: (wishes: Wishes) => void;
  stop: () => void;
};

/**
 * Draws the rows in view of a log, once a frame while lines come. The document is asked for nothing then as long as as many
 * lines come as go: each question would have it laid out once more.
 */
export function flatView({ panel, area, place }: Elements, store: LogStore): FlatView {
  const rows = flatRows(place);
  let wishes: Wishes | null = null;
  let [heightPx, longest, panelPx] = [-1, -1, 0];

  /** Makes room for all lines; returns whether it was another room before. */
  function makeRoom(): boolean {
    if (store.longest() !== longest) {
      longest = store.longest();
      area.style.minWidth = logWidth(longest);
    }
    const before = heightPx;
    heightPx = store.rows.count() * LOG_LINE_PX;
    if (heightPx !== before) area.style.height = `${heightPx}px`;
    return heightPx !== before;
  }

  function show(from: number, to: number) {
    const first = Math.max(0, from);
    const contents: RowContent[] = [];
    for (let index = first; index < Math.min(to, store.rows.count()); index += 1) {
      const line = store.rows.at(index);
      if (line === undefined) break;
      const isCurrent = line.id === wishes?.currentId;
      contents.push({ line, isGap: store.isGap(line.id), isCurrent, pattern: wishes?.pattern ?? null });
    }
    rows.show(first, store.rows.serialAt(first), contents);
  }

  function draw(isMoved = false) {
    if (wishes === null) return;
    const { following, anchor } = wishes;
    const isOther = makeRoom();
    const inView = Math.ceil(panelPx / LOG_LINE_PX);
    if (following.isActive()) {
      const count = store.rows.count();
      show(count - inView - 1, count);
      if (!isOther && !isMoved) return;
      panel.scrollTop = panel.scrollHeight;
    } else {
      anchor.restore(panel);
      const { index } = flatPlaces.first(panel);
      show(index - OVERSCAN_ROWS, index + inView + 1 + OVERSCAN_ROWS);
    }
    following.moved(panel);
  }

  function resized() {
    panelPx = panel.clientHeight;
    draw(true);
  }

  const size = new ResizeObserver(resized);
  size.observe(panel);
  const leave = store.subscribe(() => draw());
  return {
    draw: () => draw(),
    change(next) {
      wishes = next;
      resized();
    },
    stop() {
      size.disconnect();
      leave();
    },
  };
}
