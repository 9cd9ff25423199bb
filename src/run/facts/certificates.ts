/** Plans show certificates by subject, fingerprint and end, because their text tells people nothing. */
import type { X509Certificate } from 'node:crypto';
import type { Registry } from '../../kinds/registry.ts';
import { parsedCertificate } from '../../manifest/build/check-certificates.ts';
import type { FieldChange, Step } from '../../plan/plan.ts';
import { dayOf } from '../../tree/endings.ts';

export function withCertificates(steps: readonly Step[], registry: Registry): readonly Step[] {
  return steps.map((step) => {
    const { fields } = registry.byName(step.kind);
    const named = (change: FieldChange) =>
      fields[change.field]?.trait?.is === 'certificate' ? { ...change, ...namesIn(change) } : change;
    return { ...step, fields: step.fields.map(named) };
  });
}

function namesIn({ before, after, base }: FieldChange): Pick<FieldChange, 'called'> {
  const names: Record<string, string> = {};
  for (const text of [before, after, base]) {
    const certificate = typeof text === 'string' ? parsedCertificate(text) : undefined;
    if (typeof text === 'string' && certificate !== undefined) names[text] = nameOf(certificate);
  }
  return Object.keys(names).length === 0 ? {} : { called: names };
}

/** Example: `CN=Okta, SHA-256 9F:86:D0:81:88:4C:7D:65…, until 2031-02-03`. */
function nameOf({ subject, fingerprint256, validTo }: X509Certificate): string {
  const owner = subject.trim().replace(/\s*\n\s*/g, ', ');
  return `${owner}, SHA-256 ${fingerprint256.slice(0, 23)}…, until ${dayOf(Date.parse(validTo))}`;
}
