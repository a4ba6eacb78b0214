---- MODULE SVG ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
(* What CommunityModules do in Java: here are the names alone. TLC stops where one is evaluated, for it knows no such register. *)
SVGElemToString(element) == TLCGet("SVG!SVGElemToString")
SVGSerialize(element, file, number) == TLCGet("SVG!SVGSerialize")
NodesOfDirectedMultiGraph(nodes, edges, options) == TLCGet("SVG!NodesOfDirectedMultiGraph")
NodeOfRingNetwork(x, y, radius, node, nodes) == TLCGet("SVG!NodeOfRingNetwork")
(* The elements of a picture are records. *)
SVGElem(name, attributes, children, text) ==
  [name |-> name, attrs |-> attributes, children |-> children, innerText |-> text]
LOCAL Drawn(name, own, attributes, children, text) == SVGElem(name, own @@ attributes, children, text)
Line(x1, y1, x2, y2, attributes) ==
  Drawn("line", [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)], attributes, <<>>, "")
Circle(x, y, r, attributes) ==
  Drawn("circle", [cx |-> ToString(x), cy |-> ToString(y), r |-> ToString(r)], attributes, <<>>, "")
LOCAL Box(x, y, w, h) == [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)]
Rect(x, y, w, h, attributes) == Drawn("rect", Box(x, y, w, h), attributes, <<>>, "")
Image(x, y, w, h, link, attributes) ==
  Drawn("image", Box(x, y, w, h) @@ [name \in {"xlink:href"} |-> link], attributes, <<>>, "")
Text(x, y, text, attributes) == Drawn("text", [x |-> ToString(x), y |-> ToString(y)], attributes, <<>>, text)
Group(children, attributes) == SVGElem("g", attributes, children, "")
Svg(children, attributes) == SVGElem("svg", attributes, children, "")
SVGDoc(children, x, y, w, h, attributes) ==
  LET seen == ToString(x) \o " " \o ToString(y) \o " " \o ToString(w) \o " " \o ToString(h)
  IN Svg(children, attributes @@ [name \in {"xmlns", "viewBox"} |->
       IF name = "viewBox" THEN seen ELSE "http://www.w3.org/2000/svg"])
PointOnLine(from, to, parts) ==
  [x |-> from.x + (to.x - from.x) \div parts, y |-> from.y + (to.y - from.y) \div parts]
==============================
