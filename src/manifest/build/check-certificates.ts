/**
 * Detects certificates that do not allow sign-in. The API document allows any text, so only a text that is certainly not a
 * certificate is an error. Messages never show the value: it may be a secret.
 */
import { X509Certificate } from 'node:crypto';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree, Expiry } from '../../tree/desired-tree.ts';
import { dayOf } from '../../tree/endings.ts';
import { countOf } from '../../util/count.ts';
import { privateKeyPattern, revealSecrets } from '../../util/secret.ts';
import type { Problems } from '../../yaml/problems.ts';

interface CertificateCheck {
  readonly tree: DesiredTree;
  readonly registry: Registry;
  readonly problems: Problems;
  /** Unit: milliseconds. If absent, dates are not checked. */
  readonly now?: number | undefined;
}

const day = 24 * 3600 * 1000;
/** A certificate is reported this long before its end. */
const warnedFor = 30 * day;
/** Unit: days. A certificate that everyone needs is dangerous this long before its end. */
const severeFor = 7;

export function checkCertificates(check: CertificateCheck): readonly Expiry[] {
  return check.registry.kinds.flatMap((kind) =>
    Object.entries(kind.fields)
      .filter(([, field]) => field.trait?.is === 'certificate')
      .flatMap(([name]) => check.tree.ofKind(kind.name).flatMap((node) => judge(check, node, name) ?? [])),
  );
}

function judge(
  { tree, registry, problems, now }: CertificateCheck,
  node: DesiredNode,
  name: string,
): Expiry | undefined {
  const text = revealSecrets(node.fields[name]);
  if (typeof text !== 'string') return undefined;
  const at = node.fieldAt[name] ?? node.at;
  const { address } = node;
  if (/^[^\s${}]+\.(?:pem|crt|cer|cert|der|key|p12|pfx)$/i.test(text)) {
    const suggestion = `write ${name}: \${file:path} to use the text of a file`;
    problems.error('value', `${name} is the name of a file, not a certificate`, at, { address, suggestion });
    return undefined;
  }
  if (privateKeyPattern.test(text)) {
    const suggestion = `use the certificate that belongs to the key, and replace the key if it was committed`;
    problems.error('value', `${name} is a private key, not a certificate`, at, { address, suggestion });
    return undefined;
  }
  const certificate = parsedCertificate(text);
  if (certificate === undefined) {
    const message = `${name} is not a certificate in PEM form: no one can sign in with it`;
    const suggestion =
      'copy it from the identity provider, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
    problems.warn('unusual-value', message, at, { address, suggestion });
    return undefined;
  }
  if (now === undefined) return undefined;
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const suggestion = 'use the current certificate of the identity provider';
  if (now < from)
    problems.warn('unusual-value', `${name} is not valid before ${dayOf(from)}`, at, { address, suggestion });
  if (now <= to - warnedFor) return undefined;
  const days = Math.floor(to / day) - Math.floor(now / day);
  const left = days === 0 ? 'today' : `in ${countOf(days, 'day')}`;
  const when = now > to ? `expired on ${dayOf(to)}` : `expires on ${dayOf(to)}, ${left}`;
  const who = isRequired(tree, registry, node.kind) ? ': everyone has to sign in through SSO' : '';
  const message = `${name} ${when}${who}`;
  problems.warn('unusual-value', message, at, { address, suggestion });
  return { address, text: message, ...(who !== '' && days <= severeFor && { severe: true }) };
}

/** True if the organization has a value that requires an object of the kind. */
function isRequired({ root }: DesiredTree, registry: Registry, kind: string): boolean {
  return Object.entries(registry.root.fields).some(
    ([name, field]) => field.type === 'value' && field.requires?.kind === kind && root?.fields[name] === true,
  );
}

/** Metadata of identity providers contains certificates without the lines BEGIN and END. */
export function parsedCertificate(text: string): X509Certificate | undefined {
  const isPem = text.includes('-----BEGIN CERTIFICATE-----');
  if (!isPem && !/^[A-Za-z0-9+/=\s]+$/.test(text)) return undefined;
  try {
    return new X509Certificate(isPem ? text : Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
