/** Environment variables in manifests. An unset one is a problem, or a hint if the run does not need it. */
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import type { Problems } from '../../yaml/problems.ts';

export interface VariableOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly problems: Problems;
  /** Names of unset variables already reported. If present, they are only hints. */
  readonly unset?: Set<string>;
  /** Unset secrets get a made-up value, which is sent only to a service in memory. */
  readonly fakesSecrets?: true | undefined;
  /** True for a base, which needs to know only that a value is a secret. */
  readonly leavesSecrets?: boolean | undefined;
}

/** Reserved for the service: interpolated, the token would appear in plans and comments, or in the workspace. */
const ownToken = 'OCTAVO_TOKEN';

export class Variables {
  readonly #options: VariableOptions;

  constructor(options: VariableOptions) {
    this.#options = options;
  }

  variable(rest: string, at: () => SourceRange): string | undefined {
    const { name, fallback } = splitDefault(rest);
    if (name === ownToken) return this.#refuseToken(at);
    const value = this.valueOf(name);
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined && name !== '') return fallback;
    if (name === '')
      return this.#options.problems.error('interpolation', 'missing variable name', at(), {
        suggestion: 'write ${env:NAME} or ${env:NAME:-default}',
      });
    const bash = /^(\w+):?[-=?+](.*)$/.exec(name);
    const { env } = this.#options;
    const known = Object.keys(env).filter((one) => env[one] !== undefined && env[one] !== '');
    const near = nearest(name, known);
    if (bash === null && this.#options.unset !== undefined) {
      const meant = near === undefined ? undefined : `did you mean ${near}?`;
      this.#unset('missing-variable', `environment variable ${name}`, { at, suggestion: meant });
      return undefined;
    }
    return this.#options.problems.error('missing-variable', `environment variable ${name} is not set`, at(), {
      suggestion:
        bash !== null
          ? `write \${env:${bash[1]}:-${bash[2]}} for a default`
          : `${near === undefined ? '' : `did you mean ${near}? Otherwise `}set it, or write a default: \${env:${name}:-default}`,
    });
  }

  secret(name: string, at: () => SourceRange): string | undefined {
    if (name === ownToken) return this.#refuseToken(at);
    const value = this.secretOf(name);
    if (value !== undefined && value !== '') return value;
    if (name === '')
      return this.#options.problems.error('interpolation', 'missing secret name', at(), {
        suggestion: 'write ${secret:NAME}',
      });
    if (this.#options.leavesSecrets === true) return '';
    if (this.#options.unset !== undefined) {
      this.#unset('missing-secret', `secret ${name}`, { at });
      return undefined;
    }
    const state = value === undefined ? 'not set' : 'empty';
    return this.#options.problems.error('missing-secret', `secret ${name} is ${state}`, at(), {
      // Names of secrets are hidden, so the nearest name is not suggested.
      suggestion: `set the environment variable ${name}`,
    });
  }

  #refuseToken(at: () => SourceRange): undefined {
    return this.#options.problems.error('interpolation', `${ownToken} cannot be part of a manifest`, at(), {
      suggestion: 'name another variable',
    });
  }

  /** Reported once per name, if dependent values are merely not checked. */
  #unset(
    code: 'missing-variable' | 'missing-secret',
    what: string,
    { at, suggestion }: { readonly at: () => SourceRange; readonly suggestion?: string | undefined },
  ): void {
    const { problems, unset } = this.#options;
    if (unset === undefined || unset.has(what)) return;
    unset.add(what);
    problems.hint(code, `${what} is not set: values that depend on it are not checked`, at(), { suggestion });
  }

  secretOf(name: string): string | undefined {
    const isFake = this.#options.fakesSecrets === true && name !== '';
    return this.valueOf(name) ?? (isFake ? `made-up value of ${name}` : undefined);
  }

  valueOf(name: string): string | undefined {
    const { env } = this.#options;
    return Object.hasOwn(env, name) ? env[name] : undefined;
  }
}

function splitDefault(text: string): { readonly name: string; readonly fallback: string | undefined } {
  const at = text.indexOf(':-');
  return at < 0
    ? { name: text, fallback: undefined }
    : { name: text.slice(0, at), fallback: text.slice(at + 2) };
}
