/** Refuses tokens that no request could carry. Must never show one. */
import { DiagnosticError } from '../util/diagnostic.ts';

/**
 * A token that is not valid in a header was copied badly; sending it would only give an obscure failure.
 *
 * @throws DiagnosticError when the token is empty or holds anything but visible ASCII characters.
 */
export function checkToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  const message =
    token === ''
      ? 'the token is empty'
      : 'the token contains spaces, line breaks or other characters that are not valid in a token';
  throw new DiagnosticError([
    {
      severity: 'error',
      code: 'token',
      message,
      suggestion: 'check OCTAVO_TOKEN or the token file; the token itself is never shown',
    },
  ]);
}
