/** What the page of a plan is made from: everything it shows, as data. The page's own script reads it, and decides nothing. */
import type { Action, Cause, Phase } from '../../plan/plan.ts';
import type { SiteView } from '../site-view.ts';
import type { DiffLine } from '../values.ts';

/** A whole plan. */
export interface PageData {
  /** For example `Plan for Acme`. */
  readonly title: string;
  /** Objects by action, in the order of signs; only what there is. */
  readonly counts: readonly (readonly [action: Action, count: number])[];
  /** Where the plan comes from and what it is recognised by. */
  readonly facts: readonly PageFact[];
  /** What the reader must know before anything else: a part of a plan, a missing base. */
  readonly notices: readonly string[];
  /** The plan in sentences, and how many requests it takes. */
  readonly closing: readonly string[];
  readonly organizations: readonly PageOrganization[];
}

/** A fact beside the title, with a link where there is one. */
export interface PageFact {
  readonly name: string;
  readonly value: string;
  readonly link?: string;
}

/** One organization. */
export interface PageOrganization {
  readonly name: string;
  /** For example `Organization Acme (org_acme), base main@4f1c2aa`. */
  readonly about: string;
  readonly changed: number;
  readonly drifted: number;
  readonly conflicts: number;
  /** What the changes of each group of causes have in common; absent where there is one group. */
  readonly headings: { readonly change?: string; readonly drift?: string };
  /** Objects by kind, in words. */
  readonly kinds: string;
  readonly dangers: readonly PageDanger[];
  readonly refusals: readonly PageRefusal[];
  readonly policy: readonly string[];
  readonly notes: readonly PageNote[];
  readonly unmanaged: readonly PageUnmanaged[];
  /** Declared objects that stay as they are. */
  readonly unchanged: number;
  readonly changes: readonly PageChange[];
  readonly steps: readonly PageStep[];
  readonly sites: readonly SiteView[];
}

/** One line of what is dangerous. `address` where it is about one object. */
export interface PageDanger {
  readonly action: Action;
  readonly what: string;
  readonly address?: string;
  readonly texts: readonly string[];
}

/** What is refused, equal refusals together. */
export interface PageRefusal {
  readonly address: string;
  readonly guard: string;
  readonly message: string;
  /** Lines that begin with a space are to be pasted. */
  readonly suggestion: readonly string[];
  readonly others: readonly string[];
  readonly isSkipped: boolean;
}

/** A warning or a hint. */
export interface PageNote {
  readonly severity: string;
  readonly message: string;
  readonly at?: string;
  readonly suggestion: readonly string[];
}

/** A live object in a declared collection that no manifest lists. */
export interface PageUnmanaged {
  readonly address: string;
  readonly what: string;
  readonly risk?: string;
}

/** What happens to one object, as far as it has one group of causes. */
export interface PageChange {
  readonly address: string;
  readonly action: Action;
  readonly noun: string;
  readonly title?: string;
  /** What happens to it, in few words. */
  readonly brief: string;
  readonly isDrift: boolean;
  readonly cause?: Cause;
  readonly reasons: readonly string[];
  readonly place?: string;
  readonly detours: readonly string[];
  readonly risks: readonly string[];
  /** What is deleted along with it, each by name. */
  readonly cascade: readonly string[];
  readonly fields: readonly PageField[];
  /** File and line. */
  readonly at?: string;
  readonly isRefused: boolean;
  /** Its steps, by their place in the list of all. */
  readonly steps: readonly number[];
}

/** One field: values in a line each, or a difference of lines. */
export interface PageField {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
  readonly lines?: readonly (readonly [type: DiffLine['type'], text: string])[];
  /** For example `forces replacement`. */
  readonly remarks: readonly string[];
  /** What both the manifests and the live state changed. */
  readonly applied?: readonly string[];
}

/** One step. */
export interface PageStep {
  readonly address: string;
  readonly action: Action;
  readonly phase: Phase;
  /** Steps that it waits for, by their place in the list; `needs` must have succeeded. */
  readonly needs: readonly number[];
  readonly after: readonly number[];
  /** How many steps at least are before it, one after the other. */
  readonly wave: number;
  readonly calls: readonly PageCall[];
}

/** One request. */
export interface PageCall {
  /** Its number among the requests of the organization, in an order in which they could be sent. */
  readonly number: number;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Lines of JSON. */
  readonly body: readonly string[];
  /** When it is not sent, or what it looks for. */
  readonly remark?: string;
}
