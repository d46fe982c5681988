const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Elements without width, which may stand between the characters of a marker. */
export const ANCHORS = words(`
  w:bookmarkStart w:bookmarkEnd w:commentRangeStart w:commentRangeEnd w:permStart w:permEnd
  w:moveFromRangeStart w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd
  w:customXmlInsRangeStart w:customXmlInsRangeEnd w:customXmlDelRangeStart w:customXmlDelRangeEnd
  w:customXmlMoveFromRangeStart w:customXmlMoveFromRangeEnd w:customXmlMoveToRangeStart w:customXmlMoveToRangeEnd`);

/** Elements whose runs belong to the paragraph around them. */
export const CONTAINERS = words(`
  w:p w:hyperlink w:ins w:moveTo w:smartTag w:customXml w:sdt w:sdtContent w:dir w:bdo w:fldSimple
  mc:AlternateContent mc:Choice mc:Fallback`);

/** Of these, the ones in which a control may stand. */
export const CONTROL_PARENTS = words(`
  w:p w:hyperlink w:ins w:moveTo w:smartTag w:customXml w:sdtContent w:dir w:bdo w:fldSimple
  mc:Choice mc:Fallback`);

/** Text that is no longer there: tracked deletions. */
export const DELETED = words('w:del w:moveFrom');

/** Children of a paragraph or of its containers that have no width and hold no text. */
export const WEIGHTLESS = words(`
  w:pPr w:proofErr w:smartTagPr w:customXmlPr w:sdtPr w:sdtEndPr w:del w:moveFrom`);

/** Children of a run that a marker goes over. */
export const WEIGHTLESS_IN_RUN = words(`
  w:rPr w:t w:instrText w:delText w:delInstrText w:lastRenderedPageBreak w:commentReference w:annotationRef`);

/** Types of controls that hold nothing but their own text. */
export const PLAIN_CONTROLS = words(`
  w:text w:comboBox w:dropDownList w:date w:picture w:citation w:equation w14:checkbox`);
