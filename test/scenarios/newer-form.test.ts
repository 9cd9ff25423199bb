/** All scenarios that no other file of this folder runs, including future ones. */
import { describeScenarios } from '../support/scenarios.ts';

describeScenarios(/^(?!4[0-3])[^0-3]/);
