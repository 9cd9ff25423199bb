import { describeScenarios } from '../support/scenarios.ts';

describeScenarios(/^0/);
