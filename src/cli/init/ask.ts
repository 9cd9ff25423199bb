/** Asks questions on a terminal, one line each: plain text, so that it works on every terminal and with every screen reader. */
import { createInterface, type Interface } from 'node:readline';
import { nearest } from '../../util/nearest.ts';
import type { Interrupt } from '../world/interrupt.ts';
import type { World } from '../world/world.ts';

export interface Choice<T extends string> {
  readonly value: T;
  readonly about: string;
}

export interface TextQuestion {
  readonly question: string;
  /** Used for an empty answer; without it, the question is repeated. */
  readonly initial?: string | undefined;
  /** Why an answer is rejected; undefined if it is accepted. */
  readonly problem?: (answer: string) => string | undefined;
}

/** The input ended, or the command was interrupted, before all answers. */
export class AskingEnded extends Error {
  constructor() {
    super('the input ended');
    this.name = 'AskingEnded';
  }
}

/** Lines that arrive before their question are kept for it. */
export class Asker {
  readonly #questions: Interface;
  readonly #lines: string[] = [];
  readonly #write: (text: string) => void;
  #hear: (() => void) | undefined;
  #hasEnded = false;

  constructor({ stdin, stderr }: Pick<World, 'stdin' | 'stderr'>, interrupt: Interrupt) {
    this.#write = (text) => void stderr.write(text);
    this.#questions = createInterface({ input: stdin, output: stderr });
    // In raw mode the terminal sends Ctrl-C to the reader, not to the process.
    this.#questions.on('SIGINT', () => interrupt.receive('SIGINT'));
    this.#questions.on('line', (line) => {
      this.#lines.push(line);
      this.#hear?.();
    });
    const end = () => {
      this.#hasEnded = true;
      this.#hear?.();
    };
    this.#questions.once('close', end);
    interrupt.signal.addEventListener('abort', end, { once: true });
  }

  /** Repeats the question until an answer is accepted. Throws AskingEnded. */
  async text({ question, initial, problem }: TextQuestion): Promise<string> {
    for (;;) {
      const answer =
        (await this.line(`${question}${initial === undefined ? '' : ` [${initial}]`}: `)) || initial;
      const wrong = answer === undefined ? 'an answer is needed' : problem?.(answer);
      if (answer !== undefined && wrong === undefined) return answer;
      this.#write(`  ${wrong}\n`);
    }
  }

  /** By number or by name. Throws AskingEnded. */
  async choose<T extends string>(question: string, choices: readonly Choice<T>[], initial: T): Promise<T> {
    this.#write(`${question}\n`);
    for (const [at, { value, about }] of choices.entries())
      this.#write(`  ${at + 1}  ${value}${about === '' ? '' : `  ${about}`}\n`);
    const named = (answer: string) =>
      choices.find(({ value }, at) => value === answer || String(at + 1) === answer)?.value;
    const answer = await this.text({
      question: `Number or name`,
      initial,
      problem: (given) => {
        if (named(given) !== undefined) return undefined;
        const near = nearest(
          given,
          choices.map(({ value }) => value),
        );
        return near === undefined ? `write a number from 1 to ${choices.length}` : `did you mean ${near}?`;
      },
    });
    return named(answer) ?? initial;
  }

  /** Throws AskingEnded. */
  async confirm(question: string, { initial }: { readonly initial: 'yes' | 'no' }): Promise<boolean> {
    const answer = await this.text({
      question: `${question} (yes or no)`,
      initial,
      problem: (given) => (/^(?:y|yes|n|no)$/i.test(given) ? undefined : 'write yes or no'),
    });
    return /^y/i.test(answer);
  }

  say(text: string): void {
    this.#write(`${text}\n`);
  }

  close(): void {
    this.#questions.close();
  }

  /** An empty line, too. Throws AskingEnded. */
  async line(prompt: string): Promise<string> {
    this.#questions.setPrompt(prompt);
    this.#questions.prompt();
    while (this.#lines.length === 0 && !this.#hasEnded) {
      await new Promise<void>((heard) => {
        this.#hear = heard;
      });
    }
    const line = this.#lines.shift();
    if (line === undefined) {
      this.#write('\n');
      throw new AskingEnded();
    }
    return line.trim();
  }
}
