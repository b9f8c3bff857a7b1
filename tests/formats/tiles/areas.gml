<?xml version="1.0" encoding="UTF-8"?>
<wfs:FeatureCollection timeStamp="2024-05-02T08:11:00Z" numberMatched="3" numberReturned="3" xsi:schemaLocation="https://example.org/areas https://example.org/wfs?request=DescribeFeatureType http://www.opengis.net/wfs/2.0 http://schemas.opengis.net/wfs/2.0/wfs.xsd" xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:app="https://example.org/areas" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <wfs:member>
    <app:district gml:id="district.1">
      <app:key>01</app:key>
      <app:title>District 0</app:title>
      <app:geom>
        <gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::4326" gml:id="district.1.geom">
          <gml:surfaceMember>
            <gml:Polygon gml:id="district.1.geom.1">
              <gml:exterior><gml:LinearRing><gml:posList>52.5 13.4 52.5 13.42 52.52 13.42 52.52 13.4 52.5 13.4</gml:posList></gml:LinearRing></gml:exterior>
            </gml:Polygon>
          </gml:surfaceMember>
        </gml:MultiSurface>
      </app:geom>
    </app:district>
  </wfs:member>
  <wfs:member>
    <app:district gml:id="district.2">
      <app:key>02</app:key>
      <app:title>District 1</app:title>
      <app:geom>
        <gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::4326" gml:id="district.2.geom">
          <gml:surfaceMember>
            <gml:Polygon gml:id="district.2.geom.1">
              <gml:exterior><gml:LinearRing><gml:posList>52.5 13.42 52.5 13.44 52.52 13.44 52.52 13.42 52.5 13.42</gml:posList></gml:LinearRing></gml:exterior>
            </gml:Polygon>
          </gml:surfaceMember>
        </gml:MultiSurface>
      </app:geom>
    </app:district>
  </wfs:member>
  <wfs:member>
    <app:district gml:id="district.3">
      <app:key>03</app:key>
      <app:title>District 2</app:title>
      <app:geom>
        <gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::4326" gml:id="district.3.geom">
          <gml:surfaceMember>
            <gml:Polygon gml:id="district.3.geom.1">
              <gml:exterior><gml:LinearRing><gml:posList>52.5 13.44 52.5 13.46 52.52 13.46 52.52 13.44 52.5 13.44</gml:posList></gml:LinearRing></gml:exterior>
            </gml:Polygon>
          </gml:surfaceMember>
        </gml:MultiSurface>
      </app:geom>
    </app:district>
  </wfs:member>
</wfs:FeatureCollection>
