/** The shells that commands are completed in, and what they complete words with. Loaded with every command. */

/** By name, in the order in which help lists them. */
export const completingShells = ['bash', 'zsh', 'fish'] as const;

/** One of them. */
export type CompletingShell = (typeof completingShells)[number];

/** What a word is completed with. */
export type CompletedWords = 'files' | 'addresses' | 'overlays' | 'topics' | 'operations' | 'kinds' | 'runs';
