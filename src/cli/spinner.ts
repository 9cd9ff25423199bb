/** The line of a terminal that changes while something is under way. Loaded only where there is a terminal. */
import ora from 'ora';
import { displayWidth, firstColumns, safeText } from '../report/safe-text.ts';
import type { LineBatch } from './line-batch.ts';
import type { ProgressLine, ProgressText } from './progress.ts';
import type { OutputStream } from './world.ts';

/** Milliseconds between two looks at what a spinner says. */
const spinnerInterval = 100;
/** Columns of the spinner itself, with the space after it and one that stays free. */
const ownColumns = 3;

/** What a spinner needs. */
interface Spinning {
  readonly text: ProgressText;
  readonly stream: OutputStream;
  /** Makes the batch of the lines that stay. */
  readonly gather: (write: (lines: string) => void) => LineBatch;
  readonly note: (lines: string) => void;
}

/** Shows the text until it is stopped, cut to the width that the terminal has at the time. */
export function spinning({ text, stream, gather, note }: Spinning): ProgressLine {
  const shown = () => cut(safeText(String(text)), (stream.columns ?? 0) - ownColumns);
  const spinner = ora({
    text: shown(),
    stream: stream as NodeJS.WriteStream,
    // Whoever asks for it knows that there is a terminal.
    isEnabled: true,
    discardStdin: false,
  }).start();
  // What is waited for changes while nothing else does; and looks at every change would take longer than the changes.
  const timer = setInterval(() => {
    spinner.text = shown();
  }, spinnerInterval);
  timer.unref();
  const batch = gather((lines) => {
    spinner.clear();
    note(lines);
    spinner.render();
  });
  return {
    update: (state) => text.update(state),
    line: (line) => batch.add(line),
    pause: () => {
      batch.flush();
      // It may have come to its end before.
      const isShown = spinner.isSpinning;
      spinner.stop();
      return () => {
        if (isShown) spinner.start();
      };
    },
    stop: () => {
      clearInterval(timer);
      batch.flush();
      spinner.stop();
    },
  };
}

function cut(text: string, columns: number): string {
  return displayWidth(text) <= columns ? text : `${firstColumns(text, Math.max(0, columns - 1))}…`;
}
