import * as Elements from 'bpmn-elements';
import { TypeResolver } from 'moddle-context-serializer';
import { ProcessTimer } from './process-timer.ts';

/** What the engine makes of the elements of a document. */
export const engineTypes = () =>
  TypeResolver({ ...Elements }, (types: Record<string, unknown>) => {
    types['bpmn:TimerEventDefinition'] = ProcessTimer;
    // A manual task is done outside of the platform, so the token passes it at once.
    types['bpmn:ManualTask'] = Elements.Task;
    // What of the document carries nothing out.
    for (const name of SILENT) types[name] = Elements.Dummy;
  });

const SILENT = ['bpmn:DataObject', 'bpmn:DataStore', 'bpmn:DataStoreReference'];
