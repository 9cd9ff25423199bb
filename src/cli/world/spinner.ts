/** A line that changes on a terminal. Loaded only for terminals. */
import ora from 'ora';
import { safeText, shorten } from '../../report/text/safe-text.ts';
import type { LineBatch, ProgressLine, ProgressText } from './progress.ts';
import type { OutputStream } from './world.ts';

/** Time between updates of the text, in milliseconds. */
const spinnerInterval = 100;
/** Columns for the spinner itself, the space after it and one free column. */
const ownColumns = 3;

export function spinning(
  text: ProgressText,
  stream: OutputStream,
  gather: (write: (lines: string) => void) => LineBatch,
  note: (lines: string) => void,
): ProgressLine {
  const shown = () => shorten(safeText(String(text)), (stream.columns ?? 0) - ownColumns);
  const spinner = ora({
    text: shown(),
    stream: stream as NodeJS.WriteStream,
    // The caller knows that there is a terminal.
    isEnabled: true,
    discardStdin: false,
  }).start();
  // The reason for waiting can change without an event, and updating on every event would take longer than the work.
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
      // The spinner may have stopped before.
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
