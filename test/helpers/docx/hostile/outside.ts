import { docxEntries, paragraph, relationship, relationships, zipped } from '../make-docx.ts';
import { complexField } from '../word-fields.ts';

/** Fields that bring something in from elsewhere. */
const fields = (url: string): readonly string[] => [
  `INCLUDEPICTURE "${url}/includepicture" \\d`,
  `INCLUDETEXT "${url}/includetext"`,
  `IMPORT "${url}/import"`,
  `LINK Word.Document.8 "${url}/link" "" \\a \\t`,
  `DDEAUTO soffice "${url}/dde" "a"`,
  `HYPERLINK "${url}/hyperlink"`,
];

const picture = (id: string): string =>
  `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="762000" cy="317500"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="762000" cy="317500"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

const outside = (id: string, type: string, target: string): string =>
  relationship(id, type, target, 'External');

/** A document that takes in whatever a Word file can from a server, from shares and from files of the machine. */
export function documentWithOutside(url: string): Buffer {
  const body = [
    paragraph('Text'),
    ...fields(url).map(
      (field) => `<w:p>${complexField([field.replaceAll('"', '&quot;')], 'result')}</w:p>`,
    ),
    picture('image'),
    picture('file'),
    `<w:p><w:r><w:pict><v:shape style="width:50pt;height:50pt"><v:imagedata r:id="vml" o:href="${url}/href"/></v:shape></w:pict></w:r></w:p>`,
    '<w:p><w:subDoc r:id="sub"/></w:p>',
    '<w:p><w:r><w:object><o:OLEObject Type="Link" ProgID="Word.Document.8" ShapeID="s" DrawAspect="Content" ObjectID="_1" r:id="ole"/></w:object></w:r></w:p>',
  ].join('');
  const settings =
    '<w:attachedTemplate r:id="template"/><w:mailMerge><w:mainDocumentType w:val="formLetters"/><w:dataSource r:id="data"/></w:mailMerge>';
  const entries = docxEntries({
    body,
    settings,
    relationships: [
      outside('image', 'image', `${url}/image.png`),
      outside('file', 'image', 'file:///etc/passwd'),
      outside('vml', 'image', `${url}/vml.png`),
      outside('sub', 'subDocument', `${url}/sub.docx`),
      outside('ole', 'oleObject', `${url}/ole.docx`),
      outside('share', 'image', '\\\\127.0.0.1\\share\\x.png'),
      relationship('web', 'webSettings', 'webSettings.xml'),
    ].join(''),
    types:
      '<Override PartName="/word/webSettings.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.webSettings+xml"/>',
    entries: {
      'word/webSettings.xml':
        '<w:webSettings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:frameset><w:frame><w:sourceFileName r:id="frame"/></w:frame></w:frameset></w:webSettings>',
      'word/_rels/webSettings.xml.rels': relationships(outside('frame', 'frame', `${url}/frame`)),
      'word/_rels/settings.xml.rels': relationships(
        outside('template', 'attachedTemplate', `${url}/template.dotm`) +
          outside('data', 'mailMergeSource', `${url}/data.csv`),
      ),
    },
  });
  return zipped(entries);
}
