/** Detects texts that the API permits but that are probably mistakes, and suggests the probable value. */
import type { Remark } from './field.ts';

/** Checks the domain of e-mail addresses. */
export function domainRemark(text: string): Remark | undefined {
  if (/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i.test(text)) return undefined;
  const host = text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^.*@/, '')
    .replace(/\/.*$/, '');
  const isBetter = host !== text && domainRemark(host) === undefined;
  return { message: 'not a domain', instead: isBetter ? host : undefined };
}

/** Checks a part of an address on a site. Services cut, encode or reject other texts. */
export function pathRemark(text: string): Remark | undefined {
  if (/^[\p{L}\p{N}._~-]+$/u.test(text)) return undefined;
  return { message: 'not a single part of a path', instead: slugOf(text) };
}

/** Checks the name in front of a shared domain. */
export function hostnameRemark(text: string): Remark | undefined {
  if (/^[a-z0-9][a-z0-9-]*[a-z0-9]$/.test(text)) return undefined;
  return {
    message: 'not a hostname of lower-case letters, digits and dashes',
    instead: slugOf(text.toLowerCase().replace(/\..*$/, '')),
  };
}

/** Checks the name of an icon. */
export function iconRemark(text: string): Remark | undefined {
  if (/^[a-z0-9][a-z0-9:_-]*$/i.test(text)) return undefined;
  return { message: 'not the name of an icon such as book', instead: slugOf(text) };
}

function slugOf(text: string): string | undefined {
  const slug = text
    .trim()
    .replace(/[^\p{L}\p{N}._~-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? undefined : slug;
}
