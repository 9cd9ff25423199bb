/** All that are in none of the files beside this one, whatever comes to be. */
import { describeScenarios } from '../support/scenarios.ts';

describeScenarios(/^(?!4[0-3])[^0-3]/);
