# -*- coding: utf-8 -*-
NAME = "größe"
